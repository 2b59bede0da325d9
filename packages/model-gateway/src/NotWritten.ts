/** Why a file can't be written, as a message for people. */
import type { PlatformError } from "effect"
import { CommandFailed } from "./Failure.ts"

/** By the system's own code: the platform's reasons know only some of them. */
const byCode: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "its name is too long"
}

/** What follows `… can't be written: `. `flag`: the one that names another place. */
export const reasonNotWritten = ({ reason }: PlatformError.PlatformError, flag: string): string => {
  const code = reason._tag === "BadArgument" ? undefined : codeOf(reason.cause)
  if (code === "EROFS") return `the file system is read-only; choose another place with ${flag}`
  if (code !== undefined && byCode[code] !== undefined) return byCode[code]
  switch (reason._tag) {
    case "NotFound":
      return "its folder does not exist; make the folder first"
    case "PermissionDenied":
      return `no permission; choose another place with ${flag}`
    default:
      return reason.message
  }
}

/** Of a file that must be new. */
export const notWritten =
  (file: string, flag: string) =>
  (error: PlatformError.PlatformError): CommandFailed =>
    new CommandFailed({
      message:
        error.reason._tag === "AlreadyExists"
          ? `${file} is there already and stays as it is; choose another name with ${flag}, or move it away first`
          : `${file} can't be written: ${reasonNotWritten(error, flag)}`
    })

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined
