package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	gateway "example.com/model-gateway/go"
)

func TestTheEndUserIsPercentEncodedAndPoliciesAreJoinedByCommas(t *testing.T) {
	var sent http.Header
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header
		plain("Hi")(w, r)
	})
	_, err := client.Chat.Completions.Create(context.Background(), hello, gateway.EndUser("Zoë, a/b"), gateway.Guardrails("strict", "pii"))
	if err != nil {
		t.Fatal(err)
	}
	if user, policies := sent.Get("X-Gateway-End-User"), sent.Get("X-Gateway-Guardrails"); user != "Zo%C3%AB%2C%20a%2Fb" || policies != "strict,pii" {
		t.Errorf("sent the end user %q and the policies %q", user, policies)
	}
}

func TestADeniedRequestNamesTheCheckAndTheRule(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"No.","code":"guardrail_denied","guardrail":{"check":"secrets","rule":"aws_access_key"}}}`)
	})
	_, err := client.Chat.Completions.Create(context.Background(), hello)
	var failure *gateway.Error
	if !errors.As(err, &failure) || failure.Guardrail == nil {
		t.Fatalf("no guardrail in %+v", err)
	}
	if *failure.Guardrail != (gateway.GuardrailMatch{Check: "secrets", Rule: "aws_access_key"}) {
		t.Errorf("the guardrail is %+v", *failure.Guardrail)
	}
}

func TestALimitNamesTheEndUserAndTheModelsOfTheRule(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"message":"No.","kind":"budget","scope":"end_user","subject":"ann","models":["openai/gpt-5*"]}}`)
	})
	_, err := client.Chat.Completions.Create(context.Background(), hello)
	var budget *gateway.BudgetExceededError
	if !errors.As(err, &budget) {
		t.Fatalf("no budget error: %v", err)
	}
	if budget.Scope != "end_user" || budget.Subject != "ann" || !reflect.DeepEqual(budget.Models, []string{"openai/gpt-5*"}) {
		t.Errorf("the limit is %+v", budget.Limit)
	}
}

func TestADecisionSaysWhatGuardrailsDid(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		info := strings.Replace(decisionJSON, "}", `,"guardrail":{"check":"pii","action":"masked"}}`, 1)
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":"mini","choices":[{"index":0,"message":`+
			`{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"gateway":%s}`, info)
	})
	answer, err := client.Chat.Completions.Create(context.Background(), hello)
	if err != nil {
		t.Fatal(err)
	}
	if found := answer.Gateway.Guardrail; found == nil || *found != (gateway.GuardrailAction{Check: "pii", Action: "masked"}) {
		t.Errorf("the guardrail is %+v", found)
	}
}
