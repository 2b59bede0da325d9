package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

type wireSchema struct {
	Fields map[string]struct {
		Type     string `json:"type"`
		Required bool   `json:"required"`
		Nullable bool   `json:"nullable"`
	} `json:"fields"`
}

type wireOperation struct {
	Path     string   `json:"path"`
	Query    []string `json:"query"`
	Headers  []string `json:"headers"`
	Request  *string  `json:"request"`
	Form     *string  `json:"form"`
	Response *string  `json:"response"`
	Streams  bool     `json:"streams"`
}

func readWire(t *testing.T) (wire struct {
	Operations map[string]wireOperation `json:"operations"`
	Schemas    map[string]wireSchema    `json:"schemas"`
}) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "conformance", "wire.json"))
	if os.IsNotExist(err) {
		t.Skip("packages/conformance is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &wire); err != nil {
		t.Fatal(err)
	}
	return wire
}

// Every type that an operation takes or answers; what they hold is found through them.
var roots = []any{
	ChatRequest{}, ChatCompletion{}, ChatCompletionChunk{}, CompletionRequest{}, Completion{}, ResponseRequest{}, Response{},
	DeletedResponse{}, ResponseItemList{}, CompactionRequest{}, Compaction{}, ResponseInputTokens{}, MessagesRequest{}, Message{}, CountTokensRequest{},
	TokensCount{}, EmbeddingsRequest{}, Embeddings{}, ModerationRequest{}, Moderation{}, TranscriptionRequest{}, Transcript{},
	TranslationRequest{}, SpeechRequest{}, ImagesRequest{}, Images{}, ImageEditsRequest{}, ImageEditsForm{}, ImageVariationsForm{},
	ModelList{}, Model{}, OwnKey{}, Receipt{}, GiveFeedback{}, Feedback{}, CreateKey{}, IssuedKey{}, KeyPage{}, Key{}, UpdateKey{},
	RotateKey{}, PutTeam{}, Team{}, DeploymentList{}, NodeList{}, DeploymentSelection{}, SpendReport{}, ReceiptPage{}, RouteQuestion{},
	RouteExplanation{}, Config{}, ConfigReload{}, RerankRequest{}, Ranking{}, TeamPage{}, BudgetUseList{}, TrafficReport{}, Info{},
	AuditPage{},
}

func TestEveryFieldOfTheDescriptionHasOne(t *testing.T) {
	wire := readWire(t)
	seen := map[string]bool{}
	for _, root := range roots {
		compare(t, wire.Schemas, reflect.TypeOf(root).Name(), reflect.TypeOf(root), seen)
	}
	seen["Error"] = true
	// Documents that are no texts are written by their names on the wire.
	seen["RerankRequest.documents[]"] = true
	compare(t, wire.Schemas, "Error.error", reflect.TypeOf(struct {
		Error
		Limit
	}{}), seen)
	for name := range wire.Schemas {
		if !seen[name] {
			t.Errorf("no type is the schema %s", name)
		}
	}
}

func compare(t *testing.T, schemas map[string]wireSchema, name string, of reflect.Type, seen map[string]bool) {
	schema, known := schemas[name]
	if seen[name] || !known {
		return
	}
	seen[name] = true
	fields := tags(of)
	for field, wanted := range schema.Fields {
		have, ok := fields[field]
		if !ok {
			t.Errorf("%s has no field for %s.%s", of, name, field)
			continue
		}
		base := have
		for base.Kind() == reflect.Pointer || base.Kind() == reflect.Slice || base.Kind() == reflect.Map {
			base = base.Elem()
		}
		if schemaName := strings.TrimSuffix(wanted.Type, "[]"); base.Kind() == reflect.Struct {
			compare(t, schemas, schemaName, base, seen)
			compare(t, schemas, wanted.Type, base, seen)
		}
		if kinds, simple := kindsOf[wanted.Type]; simple && !kinds[base.Kind()] {
			t.Errorf("%s.%s is %s on the wire, and %s here", name, field, wanted.Type, have)
		}
		// A number that may be missing must not look like 0.
		isNumber := base.Kind() == reflect.Float64 || base.Kind() == reflect.Int64
		if wanted.Nullable && isNumber && have.Kind() != reflect.Pointer && have.Kind() != reflect.Slice {
			t.Errorf("%s.%s can be null, and is %s", name, field, have)
		}
	}
}

var kindsOf = map[string]map[reflect.Kind]bool{
	"string":  {reflect.String: true, reflect.Struct: true},
	"integer": {reflect.Int64: true, reflect.Float64: true},
	"number":  {reflect.Float64: true},
	"boolean": {reflect.Bool: true},
}

func tags(of reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	for index := range of.NumField() {
		field := of.Field(index)
		if field.Anonymous && field.Tag == "" {
			for name, inner := range tags(field.Type) {
				found[name] = inner
			}
		}
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			found[name] = field.Type
		}
	}
	return found
}

func TestEveryQueryHasItsFields(t *testing.T) {
	wire := readWire(t)
	queries := map[string]any{
		"getResponse": GetResponseQuery{}, "listInputItems": ListInputItemsQuery{}, "getOwnKey": GetOwnKeyQuery{},
		"listKeys": ListKeysQuery{}, "listTeams": ListTeamsQuery{}, "deleteTeam": DeleteTeamQuery{}, "listBudgets": ListBudgetsQuery{},
		"getSpend": GetSpendQuery{}, "getTraffic": GetTrafficQuery{}, "listRequests": ListRequestsQuery{}, "listAudit": ListAuditQuery{},
	}
	for name, operation := range wire.Operations {
		if len(operation.Query) == 0 {
			continue
		}
		query, known := queries[name]
		if !known {
			t.Errorf("%s has a query and no type of it", name)
			continue
		}
		fields := tags(reflect.TypeOf(query))
		for _, field := range operation.Query {
			if _, ok := fields[field]; !ok && (field != "stream" || !operation.Streams) {
				t.Errorf("%T has no field for %s", query, field)
			}
		}
	}
}

func TestEveryHeaderHasItsOption(t *testing.T) {
	config := callConfig{headers: map[string][]string{}}
	for _, option := range []CallOption{
		Session("s"), EndUser("u"), Guardrails("g"), Tags("t"), Prefer("cost"), Strict(), NoFallback(), Recovery("cut"),
		Content("none"), Cache(CacheOptions{On: true, MaxAge: time.Minute}), IdempotencyKey("k"), RequestID("r"),
	} {
		option(&config)
	}
	for name, operation := range readWire(t).Operations {
		for _, header := range operation.Headers {
			if config.headers.Get(header) == "" {
				t.Errorf("%s takes %s, and no option sets it", name, header)
			}
		}
	}
}
