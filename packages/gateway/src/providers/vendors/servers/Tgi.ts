/** Text Generation Inference of Hugging Face, on a server of one's own. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Tgi = compatible({
  name: "tgi",
  isSelfHosted: true,
  title: "Text Generation Inference",
  baseUrl: "http://127.0.0.1:3000/v1",
  standing: "documented",
  sources: readOn("2026-11-22", "https://huggingface.co/docs/text-generation-inference/messages_api"),
  notes: ["Any model name will do; the documentation says `tgi`.", "`eos_token` as a finish reason is `stop`."],
  modelList: { path: "/models", namesOthers: true },
  serves: ["chat"]
})
