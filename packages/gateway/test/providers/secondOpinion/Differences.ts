/** How two JSON documents differ, path by path. */
export interface Difference {
  readonly path: string
  readonly ours: unknown
  readonly theirs: unknown
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const differences = (ours: unknown, theirs: unknown, path = ""): ReadonlyArray<Difference> => {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return Array.from({ length: Math.max(ours.length, theirs.length) }, (_, index) =>
      differences(ours[index], theirs[index], `${path}[${index}]`)
    ).flat()
  }
  if (isObject(ours) && isObject(theirs)) {
    const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    return names.flatMap((name) => differences(ours[name], theirs[name], path === "" ? name : `${path}.${name}`))
  }
  return Object.is(ours, theirs) ? [] : [{ path, ours, theirs }]
}
