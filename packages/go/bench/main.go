// Command bench is one measurement of one client: `bench <ours|theirs> <address> <plain|stream> <count>`. It prints one line of JSON:
// `cpu_us`, microseconds of processor time a call or an event, and of a stream `heap_mb`, the most that was live while it ran.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	gateway "example.com/model-gateway/go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

type client struct {
	plain func() error
	// each is told of every event.
	stream func(model string, each func()) error
}

const question = "A question of some length, as they are."

func ours(address string) client {
	made, err := gateway.New(gateway.WithBaseURL(address), gateway.WithAPIKey("mgw_bench"))
	must(err)
	request := gateway.ChatRequest{Model: "mini", Messages: []gateway.ChatMessage{gateway.UserMessage(question)}}
	return client{
		plain: func() error {
			_, err := made.Chat.Completions.Create(context.Background(), request)
			return err
		},
		stream: func(model string, each func()) error {
			asked := request
			asked.Model = model
			stream, err := made.Chat.Completions.Stream(context.Background(), asked)
			if err != nil {
				return err
			}
			for _, err := range stream.All() {
				if err != nil {
					return err
				}
				each()
			}
			return nil
		},
	}
}

func theirs(address string) client {
	made := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("sk-bench"))
	params := openai.ChatCompletionNewParams{
		Model: "mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
	}
	return client{
		plain: func() error {
			_, err := made.Chat.Completions.New(context.Background(), params)
			return err
		},
		stream: func(model string, each func()) error {
			asked := params
			asked.Model = model
			stream := made.Chat.Completions.NewStreaming(context.Background(), asked)
			defer stream.Close()
			for stream.Next() {
				_ = stream.Current()
				each()
			}
			return stream.Err()
		},
	}
}

const atOnce = 4
const looks = 10

func (c client) calls(count int) {
	var callers sync.WaitGroup
	for range atOnce {
		callers.Add(1)
		go func() {
			defer callers.Done()
			for range count / atOnce {
				must(c.plain())
			}
		}()
	}
	callers.Wait()
}

// The most that was live at ten looks on the way.
func (c client) events(count int, look bool) uint64 {
	seen, most := 0, uint64(0)
	must(c.stream("events-"+strconv.Itoa(count), func() {
		if seen++; !look || seen%(count/looks) != 0 {
			return
		}
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		most = max(most, memory.HeapAlloc)
	}))
	return most
}

func cpu() float64 {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1000
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: bench <ours|theirs> <address> <plain|stream> <count>")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[4])
	must(err)
	measured := ours(os.Args[2])
	if os.Args[1] == "theirs" {
		measured = theirs(os.Args[2])
	}
	if os.Args[3] == "plain" {
		measured.calls(count)
		before := cpu()
		measured.calls(count)
		fmt.Printf("{\"cpu_us\":%f}\n", (cpu()-before)/float64(count))
		return
	}
	measured.events(count, false)
	before := cpu()
	measured.events(count, false)
	spent := (cpu() - before) / float64(count)
	fmt.Printf("{\"cpu_us\":%f,\"heap_mb\":%f}\n", spent, float64(measured.events(count, true))/(1<<20))
}
