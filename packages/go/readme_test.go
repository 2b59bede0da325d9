package gateway_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var sample = regexp.MustCompile("(?s)```go\n(.*?)```")

// Every sample is a program of its own, in a module beside this one. What is no program is the inside of one that has a client.
func writeSamples(t *testing.T) (folder string, count int) {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	module := fmt.Sprintf("module readme\n\ngo 1.23\n\nrequire example.com/model-gateway/go v0.0.0\n\nreplace example.com/model-gateway/go => %s\n", here)
	write(t, filepath.Join(folder, "go.mod"), module)
	// The models of the gateway that they are run with.
	text := strings.NewReplacer("whisper-1", "demo/transcribe", "rerank-v4.0-pro", "demo/rerank").Replace(string(readme))
	samples := sample.FindAllStringSubmatch(text, -1)
	if len(samples) < 8 {
		t.Fatalf("only %d samples were found", len(samples))
	}
	for index, found := range samples {
		write(t, filepath.Join(folder, fmt.Sprintf("sample%d", index), "main.go"), program(found[1]))
	}
	return folder, len(samples)
}

func TestTheSamplesOfTheReadmeCompile(t *testing.T) {
	folder, _ := writeSamples(t)
	vet := exec.Command("go", "vet", "./...")
	vet.Dir = folder
	if said, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// Where README_FIXTURES is a folder with the files that they name, beside the variables of a gateway.
func TestTheSamplesOfTheReadmeRun(t *testing.T) {
	fixtures := os.Getenv("README_FIXTURES")
	if fixtures == "" {
		t.Skip("no gateway to run them with")
	}
	folder, count := writeSamples(t)
	for index := range count {
		program := fmt.Sprintf("./sample%d", index)
		build := exec.Command("go", "build", "-o", program+".exe", program)
		build.Dir = folder
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		run := exec.Command(filepath.Join(folder, program+".exe"))
		run.Dir = fixtures
		if said, err := run.CombinedOutput(); err != nil {
			t.Errorf("sample %d: %v\n%s", index, err, said)
		}
	}
}

func program(text string) string {
	if strings.HasPrefix(text, "package") {
		return text
	}
	imports := []string{"gateway \"example.com/model-gateway/go\"", "\"context\""}
	for _, name := range []string{"errors", "fmt", "io", "log", "net/http", "net/url", "os", "time"} {
		if regexp.MustCompile(`\b` + name[strings.LastIndex(name, "/")+1:] + `\.`).MatchString(text) {
			imports = append(imports, fmt.Sprintf("%q", name))
		}
	}
	return "package main\n\nimport (\n" + strings.Join(imports, "\n") + "\n)\n\nfunc main() {\n\tctx := context.Background()\n" +
		"\tclient, err := gateway.New()\n\t_, _, _ = ctx, client, err\n\t{\n" + text + "\n\t}\n}\n"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
