/** What `--port` may be. 0: any free one. */
export const isPort = (port: number): boolean => port >= 0 && port <= 65_535

export const PORT_ALLOWED = "a whole number from 0 to 65535"
