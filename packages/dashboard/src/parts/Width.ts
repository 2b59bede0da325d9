/** How wide a box is, as long as it is there. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"

const LEAST = 160

export const useWidth = () => {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(600)
  useLayoutEffect(() => {
    if (box.current === null) return undefined
    setWidth(Math.max(LEAST, box.current.clientWidth))
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(LEAST, entry?.contentRect.width ?? 600)))
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return { box, width }
}
