/** A field for the name of a team, which suggests those that there are. */
import type { TeamPage } from "@model-gateway/protocol"
import type { JSX } from "preact"
import { useQuery } from "../api/Query.ts"
import { pathWith } from "../Place.ts"

const LIST = "teams-that-there-are"

type Given = Pick<JSX.IntrinsicElements["input"], "defaultValue" | "name" | "onChange" | "placeholder" | "value">

export const TeamField = ({ label, ...given }: Given & { readonly label: string }) => {
  const { data } = useQuery<TeamPage>(pathWith("teams", { limit: "1000" }))
  return (
    <>
      <input aria-label={label} list={LIST} {...given} />
      <datalist id={LIST}>
        {data?.data.map(({ team }) => (
          <option key={team} value={team} />
        ))}
      </datalist>
    </>
  )
}
