/** `GET /v1/key`, held against what is read of it: another server's answer may have any shape. */
import { BadRequestError, type Gateway, type OwnKey } from "@model-gateway/client"
import { brief } from "../gateways/Gateways.ts"
import { NotTheGateway } from "../gateways/Trouble.ts"

/** `timeZone`: where its days begin. Without it, or where the gateway does not know it, they begin where the gateway has them. */
export const readOwnKey = async (client: Gateway, timeZone?: string): Promise<OwnKey> => {
  const key = await ask(client, timeZone)
  if (isOwnKey(key)) return key
  throw new NotTheGateway()
}

const ask = async (client: Gateway, tz: string | undefined): Promise<OwnKey> => {
  try {
    return await client.key.get(tz === undefined ? {} : { tz }, brief)
  } catch (error) {
    if (tz !== undefined && error instanceof BadRequestError && error.status === 400) return client.key.get({}, brief)
    throw error
  }
}

const isOwnKey = ({ budgets, object, spend, team_budgets }: Partial<OwnKey>): boolean =>
  object === "key" && Array.isArray(budgets) && Array.isArray(team_budgets) && typeof spend?.day_usd === "number"
