/** Who did something, as the audit log has it. */
export interface Actor {
  readonly kind:
    | "master_key"
    | "session"
    | "sign_in_link"
    | "command_line"
    | "user"
    | "service_token"
    | "identity_provider"
  /** The id of the person, the service token or the session; else the kind. */
  readonly id: string
  /** Where the request came from; "" where that has no address. */
  readonly address: string
}
