/** Who is asked: a new protocol is a file in `opinions` and a name here. */
import type { Opinion } from "./Opinion.ts"
import { anthropic } from "./opinions/Anthropic.ts"
import { bedrock } from "./opinions/Bedrock.ts"
import { cohere } from "./opinions/Cohere.ts"
import { compatible } from "./opinions/Compatible.ts"
import { google } from "./opinions/Google.ts"
import { mistral } from "./opinions/Mistral.ts"
import { openAi } from "./opinions/OpenAi.ts"

export const opinions: ReadonlyArray<Opinion> = [
  ...openAi,
  ...anthropic,
  ...mistral,
  ...bedrock,
  ...cohere,
  ...google,
  ...compatible
]
