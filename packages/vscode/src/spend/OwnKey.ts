/** `GET /v1/key`, held against what is read of it: another server's answer may have any shape. */
import type { Gateway, OwnKey } from "@model-gateway/client"
import { brief } from "../gateways/Gateways.ts"
import { NotTheGateway } from "../gateways/Trouble.ts"

export const readOwnKey = async (client: Gateway): Promise<OwnKey> => {
  const key = await client.key.get({}, brief)
  if (isOwnKey(key)) return key
  throw new NotTheGateway()
}

const isOwnKey = ({ budgets, object, spend, team_budgets }: Partial<OwnKey>): boolean =>
  object === "key" && Array.isArray(budgets) && Array.isArray(team_budgets) && typeof spend?.day_usd === "number"
