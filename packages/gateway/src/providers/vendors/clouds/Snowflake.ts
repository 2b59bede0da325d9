/** Snowflake Cortex. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Snowflake = compatible({
  name: "snowflake",
  title: "Snowflake Cortex",
  baseUrl: "https://{account}.snowflakecomputing.com/api/v2/cortex/v1",
  apiKeyVariable: "SNOWFLAKE_TOKEN",
  settings: [
    { name: "account", what: "the identifier of the account (myorg-myaccount)", variable: "SNOWFLAKE_ACCOUNT" }
  ],
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://docs.snowflake.com/user-guide/snowflake-cortex/open_ai_sdk",
    "https://docs.snowflake.com/de/user-guide/snowflake-cortex/cortex-rest-api"
  ),
  notes: [
    "The key is a programmatic access token.",
    'An unfinished choice of a stream has `finish_reason: ""`, and its own `service_tier` is removed from responses.',
    "It bills in credits: give its deployments a price."
  ],
  serves: ["chat"],
  billsAfterDisconnect: "all",
  modelList: null
})
