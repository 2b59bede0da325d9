package main

var brokenChecks = []check{
	{"chat: a stream that breaks off is an error", func() error {
		client := connect()
		stream := client.Chat.Completions.NewStreaming(ctx, ask("demo/cut-6", "Say hello"))
		defer stream.Close()
		read := 0
		for stream.Next() {
			read++
		}
		return expect(read > 0 && stream.Err() != nil, "%d chunks, then %v", read, stream.Err())
	}},
	{"Responses: a stream that breaks off is an error", func() error {
		client := connect()
		params := respond("Say hello")
		params.Model = "demo/cut-6"
		stream := client.Responses.NewStreaming(ctx, params)
		defer stream.Close()
		read := 0
		for stream.Next() {
			read++
		}
		return expect(read > 0 && stream.Err() != nil, "%d events, then %v", read, stream.Err())
	}},
}
