/** The tree in the side bar, in plain values. What is below a node is asked for when it is opened. */

export interface Node {
  /** The same each time, so that what is open stays open. */
  readonly id: string
  readonly label: string
  readonly description?: string | undefined
  readonly tooltip?: string | undefined
  /** One of the editor's icons. */
  readonly icon?: string | undefined
  readonly colour?: "good" | "warning" | "error" | undefined
  /** Which buttons it has. */
  readonly kind: "section" | "plain" | "enabled" | "disabled" | "key" | "keys" | "noMasterKey" | "trouble"
  /** Of what it shows. */
  readonly gateway: string
  /** The id of the deployment or of the key. */
  readonly subject?: string | undefined
  readonly isOpen?: boolean
  readonly children?: (() => Promise<ReadonlyArray<Node>>) | undefined
}
