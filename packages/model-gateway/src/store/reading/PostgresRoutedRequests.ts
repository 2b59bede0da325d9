import { makeRoutedRequests } from "./RoutedRequestRows.ts"
import { orUnavailable } from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresErrors"

export const routedRequests = makeRoutedRequests(orUnavailable)
