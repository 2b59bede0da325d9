/**
 * What a vendor's own tools left in a history: searches, code and the like that ran on its servers. No other vendor takes such
 * blocks, and the answer's text holds what they were for. So they are left out, and that is said.
 */

/** LangChain's own names, Anthropic's, OpenAI's and Google's. */
const LEFT_BY_SERVERS =
  /^(server_tool_|mcp_|container_upload$|executable_?code$|code_?execution_?result$|\w+_tool_result$|(web_search|file_search|code_interpreter|image_generation|computer|local_shell)_call(_output)?$)/i

export const isLeftByServer = (type: string): boolean => LEFT_BY_SERVERS.test(type)

const told = new Set<string>()

/** Once for each kind: a history is sent again with every turn. */
export const leaveOut = (type: string): undefined => {
  if (told.has(type)) return
  told.add(type)
  console.warn(
    `ChatGateway leaves blocks of type \`${type}\` out of the messages it sends: a provider's own tool made them, and others refuse them.`
  )
}
