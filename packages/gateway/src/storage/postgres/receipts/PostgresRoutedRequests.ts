import { makeRoutedRequests } from "../../records/receipts/RoutedRequestRows.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"

export const routedRequests = makeRoutedRequests(orUnavailable)
