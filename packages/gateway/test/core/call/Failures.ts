/** Failures of providers, as tests need them. */
import { type FailureClass, ProviderFailure } from "../../../src/core/domain/Failures.ts"

export const failed = (name: FailureClass, retryAfterMs?: number): ProviderFailure =>
  new ProviderFailure({
    class: name,
    status: 500,
    message: name,
    type: null,
    code: null,
    param: null,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs })
  })
