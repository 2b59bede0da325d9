package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	gateway "example.com/model-gateway/go"
)

type fileGiven struct {
	Fixture string `json:"fixture"`
	As      string `json:"as"`
}

// What a step asks of the client.
type asked struct {
	ctx      context.Context
	params   map[string]string
	query    json.RawMessage
	body     json.RawMessage
	files    map[string]fileGiven
	fixtures string
	stream   bool
	parse    bool
	options  []gateway.CallOption
}

type operation func(*gateway.Client, asked) (any, error)

func (a asked) id() string { return a.params["id"] }

// A body as its type has it; one that no type can hold goes as it is, in Extra.
func body[T any](a asked, extra func(*T) *map[string]any) T {
	var typed T
	if len(a.body) == 0 || json.Unmarshal(a.body, &typed) == nil {
		return typed
	}
	var none T
	_ = json.Unmarshal(a.body, extra(&none))
	return none
}

func exactly[T any](a asked) (typed T) {
	if len(a.body) > 0 {
		if err := json.Unmarshal(a.body, &typed); err != nil {
			panic(err)
		}
	}
	return typed
}

func query[T any](a asked) (typed T) {
	if len(a.query) > 0 {
		if err := json.Unmarshal(a.query, &typed); err != nil {
			panic(err)
		}
	}
	return typed
}

func (a asked) upload(field string) *gateway.Upload {
	given := a.files[field]
	path := filepath.Join(a.fixtures, given.Fixture)
	if given.As == "path" {
		return gateway.FromPath(path)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	if given.As == "bytes" {
		return gateway.FromBytes("", content)
	}
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	return gateway.FromReader("", file)
}

func chatRequest(a asked) gateway.ChatRequest {
	return body(a, func(r *gateway.ChatRequest) *map[string]any { return &r.Extra })
}

func transcription(a asked) gateway.TranscriptionRequest {
	request := exactly[gateway.TranscriptionRequest](a)
	request.File = a.upload("file")
	return request
}

// Every operation that the clients have, and the call of this client that it is.
var operations = map[string]operation{
	"createChatCompletion": func(c *gateway.Client, a asked) (any, error) {
		if a.stream {
			return stream(c.Chat.Completions.Stream(a.ctx, chatRequest(a), a.options...))
		}
		if a.parse {
			return answer(gateway.Parse[any](a.ctx, c, chatRequest(a), a.options...))
		}
		return answer(c.Chat.Completions.Create(a.ctx, chatRequest(a), a.options...))
	},
	"createResponse": func(c *gateway.Client, a asked) (any, error) {
		request := exactly[gateway.ResponseRequest](a)
		if a.stream {
			return stream(c.Responses.Stream(a.ctx, request, a.options...))
		}
		return answer(c.Responses.Create(a.ctx, request, a.options...))
	},
	"getResponse": func(c *gateway.Client, a asked) (any, error) {
		if a.stream {
			return stream(c.Responses.Replay(a.ctx, a.id(), query[gateway.GetResponseQuery](a), a.options...))
		}
		return answer(c.Responses.Get(a.ctx, a.id(), query[gateway.GetResponseQuery](a), a.options...))
	},
	"deleteResponse": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Responses.Delete(a.ctx, a.id(), a.options...))
	},
	"cancelResponse": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Responses.Cancel(a.ctx, a.id(), a.options...))
	},
	"listInputItems": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Responses.InputItems(a.ctx, a.id(), query[gateway.ListInputItemsQuery](a), a.options...))
	},
	"compactResponse": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Responses.Compact(a.ctx, exactly[gateway.CompactionRequest](a), a.options...))
	},
	"countInputTokens": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Responses.CountInputTokens(a.ctx, exactly[gateway.ResponseRequest](a), a.options...))
	},
	"createMessage": func(c *gateway.Client, a asked) (any, error) {
		request := exactly[gateway.MessagesRequest](a)
		if a.stream {
			return stream(c.Messages.Stream(a.ctx, request, a.options...))
		}
		return answer(c.Messages.Create(a.ctx, request, a.options...))
	},
	"countTokens": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Messages.CountTokens(a.ctx, exactly[gateway.CountTokensRequest](a), a.options...))
	},
	"createCompletion": func(c *gateway.Client, a asked) (any, error) {
		request := exactly[gateway.CompletionRequest](a)
		if a.stream {
			return stream(c.Completions.Stream(a.ctx, request, a.options...))
		}
		return answer(c.Completions.Create(a.ctx, request, a.options...))
	},
	"createEmbeddings": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Embeddings.Create(a.ctx, exactly[gateway.EmbeddingsRequest](a), a.options...))
	},
	"createModeration": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Moderations.Create(a.ctx, exactly[gateway.ModerationRequest](a), a.options...))
	},
	"createRanking": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Rerank.Create(a.ctx, exactly[gateway.RerankRequest](a), a.options...))
	},
	"createTranscription": func(c *gateway.Client, a asked) (any, error) {
		if a.stream {
			return stream(c.Audio.Transcriptions.Stream(a.ctx, transcription(a), a.options...))
		}
		return answer(c.Audio.Transcriptions.Create(a.ctx, transcription(a), a.options...))
	},
	"createTranslation": func(c *gateway.Client, a asked) (any, error) {
		request := exactly[gateway.TranslationRequest](a)
		request.File = a.upload("file")
		return answer(c.Audio.Translations.Create(a.ctx, request, a.options...))
	},
	"createSpeech": func(c *gateway.Client, a asked) (any, error) {
		request := exactly[gateway.SpeechRequest](a)
		if a.stream {
			return stream(c.Audio.Speech.Stream(a.ctx, request, a.options...))
		}
		return c.Audio.Speech.Create(a.ctx, request, a.options...)
	},
	"createImage": func(c *gateway.Client, a asked) (any, error) {
		request := exactly[gateway.ImagesRequest](a)
		if a.stream {
			return stream(c.Images.Stream(a.ctx, request, a.options...))
		}
		return answer(c.Images.Generate(a.ctx, request, a.options...))
	},
	"editImage": func(c *gateway.Client, a asked) (any, error) {
		if len(a.files) == 0 {
			return answer(c.Images.EditURLs(a.ctx, exactly[gateway.ImageEditsRequest](a), a.options...))
		}
		request := exactly[gateway.ImageEditsForm](a)
		request.Image = a.upload("image")
		return answer(c.Images.Edit(a.ctx, request, a.options...))
	},
	"varyImage": func(c *gateway.Client, a asked) (any, error) {
		request := exactly[gateway.ImageVariationsForm](a)
		request.Image = a.upload("image")
		return answer(c.Images.Vary(a.ctx, request, a.options...))
	},
	"listModels": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Models.List(a.ctx, a.options...))
	},
	"getModel": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Models.Get(a.ctx, a.id(), a.options...))
	},
	"getOwnKey": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Key.Get(a.ctx, query[gateway.GetOwnKeyQuery](a), a.options...))
	},
	"getReceipt": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Receipts.Get(a.ctx, a.id(), a.options...))
	},
	"giveFeedback": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Receipts.Feedback(a.ctx, a.id(), exactly[gateway.GiveFeedback](a), a.options...))
	},
	"createKey": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Keys.Create(a.ctx, exactly[gateway.CreateKey](a), a.options...))
	},
	"listKeys": func(c *gateway.Client, a asked) (any, error) {
		return pages(c.Admin.Keys.List(a.ctx, query[gateway.ListKeysQuery](a), a.options...))
	},
	"getKey": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Keys.Get(a.ctx, a.id(), a.options...))
	},
	"updateKey": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Keys.Update(a.ctx, a.id(), exactly[gateway.UpdateKey](a), a.options...))
	},
	"revokeKey": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Keys.Revoke(a.ctx, a.id(), a.options...))
	},
	"rotateKey": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Keys.Rotate(a.ctx, a.id(), exactly[gateway.RotateKey](a), a.options...))
	},
	"listTeams": func(c *gateway.Client, a asked) (any, error) {
		return pages(c.Admin.Teams.List(a.ctx, query[gateway.ListTeamsQuery](a), a.options...))
	},
	"deleteTeam": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Teams.Delete(a.ctx, a.params["team"], query[gateway.DeleteTeamQuery](a), a.options...))
	},
	"getTeam": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Teams.Get(a.ctx, a.params["team"], a.options...))
	},
	"putTeam": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Teams.Put(a.ctx, a.params["team"], exactly[gateway.PutTeam](a), a.options...))
	},
	"listDeployments": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Deployments.List(a.ctx, a.options...))
	},
	"disableDeployments": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Deployments.Disable(a.ctx, exactly[gateway.DeploymentSelection](a), a.options...))
	},
	"enableDeployments": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Deployments.Enable(a.ctx, exactly[gateway.DeploymentSelection](a), a.options...))
	},
	"resetDeployments": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Deployments.Reset(a.ctx, exactly[gateway.DeploymentSelection](a), a.options...))
	},
	"listBudgets": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Budgets(a.ctx, query[gateway.ListBudgetsQuery](a), a.options...))
	},
	"getTraffic": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Traffic(a.ctx, query[gateway.GetTrafficQuery](a), a.options...))
	},
	"getSpend": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Spend(a.ctx, query[gateway.GetSpendQuery](a), a.options...))
	},
	"listRequests": func(c *gateway.Client, a asked) (any, error) {
		return pages(c.Admin.Requests.List(a.ctx, query[gateway.ListRequestsQuery](a), a.options...))
	},
	"getRequest": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Requests.Get(a.ctx, a.id(), a.options...))
	},
	"explainRoute": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Explain(a.ctx, a.body, a.options...))
	},
	"getConfig": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Config(a.ctx, a.options...))
	},
	"getInfo": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Info(a.ctx, a.options...))
	},
	"listNodes": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Nodes(a.ctx, a.options...))
	},
	"listAudit": func(c *gateway.Client, a asked) (any, error) {
		return pages(c.Admin.Audit(a.ctx, query[gateway.ListAuditQuery](a), a.options...))
	},
	"reloadConfig": func(c *gateway.Client, a asked) (any, error) {
		return answer(c.Admin.Reload(a.ctx, a.options...))
	},
}
