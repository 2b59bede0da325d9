/**
 * The headers of a call, which may hold secrets. LangChain writes options down, in traces and in serialized chains: in this they can
 * be handed on, and not be seen.
 */
type Named = Readonly<Record<string, string>>

export class HiddenHeaders {
  readonly #headers: Named

  private constructor(headers: Named) {
    this.#headers = headers
  }

  /** The same options with their headers hidden. */
  static in<Options extends object>(options: Options): Options {
    const { headers } = options as { readonly headers?: Named | HiddenHeaders | undefined }
    if (headers === undefined || headers instanceof HiddenHeaders) return options
    return { ...options, headers: new HiddenHeaders(headers) }
  }

  static read(headers: Named | HiddenHeaders | undefined): Named | undefined {
    return headers instanceof HiddenHeaders ? headers.#headers : headers
  }
}
