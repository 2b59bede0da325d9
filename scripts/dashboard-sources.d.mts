/** What the build's `.sources` must say, and whether it does. */
export const sourcesOf: (root: string) => { readonly digest: string; readonly isBuilt: boolean }
