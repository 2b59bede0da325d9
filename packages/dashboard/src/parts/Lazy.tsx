/** Pages that are loaded when they are opened, so that the first one is there soon. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ApiError } from "../api/Api.ts"
import { Failure, Loading } from "./Parts.tsx"

/** The gateway serves the files of one build: those of an older page are gone after an update. */
const GONE = "This page can't be loaded: the gateway was updated or can't be reached. Reload the page."

export const lazy = <P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> => {
  let known: ComponentType<P> | undefined
  return (props) => {
    const [Page, setPage] = useState<{ readonly is: ComponentType<P> | undefined }>({ is: known })
    const [hasFailed, setFailed] = useState(false)
    useEffect(() => {
      if (known !== undefined) return
      load()
        .then((found) => {
          known = found
          setPage({ is: found })
        })
        .catch(() => setFailed(true))
    }, [])
    if (hasFailed) return <Failure error={new ApiError(GONE, 0, null)} retry={() => location.reload()} />
    return Page.is === undefined ? <Loading /> : <Page.is {...props} />
  }
}
