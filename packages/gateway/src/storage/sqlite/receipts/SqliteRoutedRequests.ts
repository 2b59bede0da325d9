import { makeRoutedRequests } from "../../records/receipts/RoutedRequestRows.ts"
import { orUnavailable } from "../file/Reads.ts"

export const routedRequests = makeRoutedRequests(orUnavailable)
