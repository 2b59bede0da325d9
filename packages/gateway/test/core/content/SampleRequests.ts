/** A request of each operation with every kind of content that its API documents. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"

const schema = { type: "object", properties: { city: { type: "string", description: "where" } } }

export const sampleRequests: { readonly [path: string]: JsonObject } = {
  "/v1/chat/completions": {
    model: "m",
    stream: false,
    service_tier: "default",
    user: "u",
    metadata: { note: "n" },
    stop: ["end"],
    prediction: { type: "content", content: [{ type: "text", text: "t" }] },
    response_format: { type: "json_schema", json_schema: { name: "n", schema } },
    tools: [{ type: "function", function: { name: "f", description: "d", parameters: schema } }],
    tool_choice: { type: "function", function: { name: "f" } },
    vendor_field: { inner: ["x"] },
    messages: [
      { role: "system", content: "s" },
      {
        role: "user",
        name: "n",
        content: [
          { type: "text", text: "t", cache_control: { type: "ephemeral" } },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
          { type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "n.pdf" } }
        ]
      },
      {
        role: "assistant",
        content: null,
        reasoning_content: "r",
        refusal: "no",
        tool_calls: [
          { id: "c", type: "function", function: { name: "f", arguments: '{"city":"c","deep":{"list":["x"]}}' } },
          { id: "d", type: "custom", custom: { name: "g", input: "free" } }
        ],
        extra_content: { google: { parts: [{ text: "t" }] } }
      },
      { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "r" }] },
      { role: "function", name: "f", content: "r" }
    ]
  },
  "/v1/responses": {
    model: "m",
    instructions: "i",
    user: "u",
    metadata: { note: "n" },
    previous_response_id: "resp_1",
    prompt: { id: "p", variables: { city: "c" } },
    tools: [{ type: "function", name: "f", description: "d", parameters: schema }],
    tool_choice: { type: "function", name: "f" },
    text: { format: { type: "json_schema", name: "n", schema } },
    input: [
      { type: "message", id: "msg", role: "user", content: "t" },
      {
        role: "user",
        content: [
          { type: "input_text", text: "t" },
          { type: "input_image", image_url: "https://example.com/a.png", detail: "low" },
          { type: "input_file", file_data: "data:application/pdf;base64,AAAA", filename: "n" }
        ]
      },
      { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "e" },
      { type: "function_call", id: "fc", call_id: "c", name: "f", arguments: '{"city":"c"}', status: "completed" },
      { type: "function_call_output", call_id: "c", output: "r" },
      { type: "custom_tool_call", call_id: "c", name: "f", input: "free" },
      { type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_text", text: "r" }] },
      { type: "shell_call", call_id: "c", action: { commands: ["ls"] } },
      { type: "mcp_call", id: "m", name: "f", server_label: "s", arguments: "{}", output: "r" },
      { type: "vendor_item", words: { inner: "x" } }
    ]
  },
  "/v1/messages": {
    model: "m",
    max_tokens: 1,
    metadata: { user_id: "u" },
    stop_sequences: ["end"],
    system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
    tools: [{ name: "f", description: "d", input_schema: schema }],
    tool_choice: { type: "tool", name: "f" },
    messages: [
      { role: "user", content: "t" },
      {
        role: "user",
        content: [
          { type: "text", text: "t" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
          { type: "document", title: "t", context: "c", source: { type: "text", media_type: "text/plain", data: "d" } },
          { type: "document", source: { type: "content", content: [{ type: "text", text: "t" }] } },
          {
            type: "tool_result",
            tool_use_id: "c",
            content: [
              { type: "text", text: "r" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }
            ]
          },
          { type: "tool_result", tool_use_id: "c", content: "r" },
          { type: "search_result", source: "https://example.com", title: "t", content: [{ type: "text", text: "r" }] }
        ]
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "r", signature: "s" },
          { type: "redacted_thinking", data: "AAAA" },
          { type: "tool_use", id: "c", name: "f", input: { city: "c", deep: { list: ["x"] } } },
          { type: "vendor_block", words: { inner: "x" } }
        ]
      }
    ]
  },
  "/v1/models/{model}:generateContent": {
    systemInstruction: { parts: [{ text: "s" }] },
    safetySettings: [{ category: "c", threshold: "t" }],
    cachedContent: "cachedContents/c",
    labels: { team: "l" },
    tools: [
      {
        functionDeclarations: [
          { name: "f", description: "d", parameters: { type: "OBJECT", properties: { city: { type: "STRING" } } } },
          { name: "g", parametersJsonSchema: schema, response: schema, behavior: "BLOCKING" }
        ]
      },
      { googleSearch: { excludeDomains: ["x"] } }
    ],
    toolConfig: {
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f", "g"] },
      retrievalConfig: { languageCode: "l" }
    },
    generationConfig: {
      stopSequences: ["end"],
      responseMimeType: "application/json",
      responseSchema: { type: "OBJECT", properties: { a: { type: "STRING", enum: ["b"] } } },
      responseModalities: ["TEXT"],
      speechConfig: { languageCode: "l" },
      thinkingConfig: { thinkingLevel: "LOW" }
    },
    contents: [
      {
        role: "user",
        parts: [
          { text: "t" },
          { inlineData: { mimeType: "image/png", data: "AAAA" } },
          { inlineData: { mimeType: "application/pdf", data: "AAAA", displayName: "n.pdf" } },
          {
            fileData: { mimeType: "video/mp4", fileUri: "https://example.com/a.mp4" },
            videoMetadata: { startOffset: "1s" }
          }
        ]
      },
      {
        role: "model",
        parts: [
          { text: "t", thought: true },
          { text: "t", thoughtSignature: "AAAA" },
          { executableCode: { code: "c", language: "PYTHON" } },
          { codeExecutionResult: { output: "o", outcome: "OUTCOME_OK" } },
          { functionCall: { id: "i", name: "f", args: { city: "c", deep: { list: ["x"] } } } }
        ]
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "i",
              name: "f",
              response: { output: "o" },
              scheduling: "SILENT",
              parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }]
            }
          }
        ]
      }
    ]
  },
  "/v1/completions": { model: "m", prompt: ["t"], suffix: "s", stop: "end", user: "u", vendor_field: "x" },
  "/v1/embeddings": { model: "m", input: ["t"], user: "u", encoding_format: "float", vendor_field: "x" },
  "/v1/moderations": {
    model: "m",
    input: [
      { type: "text", text: "t" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
    ]
  },
  "/v1/rerank": { model: "m", query: "q", documents: ["t", { text: "u", title: "v" }], vendor_field: "x" },
  "/v1/images/generations": {
    model: "m",
    prompt: "p",
    negative_prompt: "n",
    user: "u",
    size: "auto",
    vendor_field: "x"
  },
  "/v1/images/edits": {
    model: "m",
    prompt: "p",
    images: [{ image_url: "data:image/png;base64,AAAA" }, { file_id: "f" }],
    mask: { image_url: "https://example.com/a.png" }
  },
  "/v1/images/variations": { model: "m", user: "u", vendor_field: "x" },
  "/v1/audio/transcriptions": {
    model: "m",
    prompt: "p",
    language: "en",
    known_speaker_names: ["n"],
    vendor_field: "x"
  },
  "/v1/audio/translations": { model: "m", prompt: "p", vendor_field: "x" },
  "/v1/audio/speech": { model: "m", input: "t", instructions: "i", voice: "alloy", vendor_field: "x" }
}
