/** A part of the client: `gateway.models`, `gateway.admin.keys`. What it holds shows no key. */
import type { Connection } from "../connection/Connection.ts"

export abstract class Part {
  protected readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }
}
