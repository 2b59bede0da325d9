/** Databricks: foundation models behind its serving endpoints. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Databricks = compatible({
  name: "databricks",
  title: "Databricks",
  baseUrl: "https://{workspace}/serving-endpoints",
  apiKeyVariable: "DATABRICKS_TOKEN",
  settings: [
    {
      name: "workspace",
      what: "the host of the workspace (dbc-1234.cloud.databricks.com)",
      variable: "DATABRICKS_HOST"
    }
  ],
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://docs.databricks.com/machine-learning/model-serving/score-foundation-models.html",
    "https://docs.databricks.com/gcp/en/machine-learning/model-serving/score-chat-models"
  ),
  notes: [
    "A model is the name of a serving endpoint; `base_model` says what it is.",
    "It bills in units of its own: give its deployments a price."
  ],
  serves: ["chat", "completions", "embeddings"],
  billsAfterDisconnect: "all",
  // Its list of endpoints is at another address.
  modelList: null
})
