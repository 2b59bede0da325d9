{{- define "gateway.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "gateway.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "gateway.name" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end -}}
{{- end -}}

{{- define "gateway.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "gateway.masterKeySecret" -}}
{{- default (printf "%s-master-key" (include "gateway.name" .)) .Values.masterKey.existingSecret -}}
{{- end -}}

{{- define "gateway.isPostgres" -}}
{{- hasKey (default dict .Values.config.store) "postgres" -}}
{{- end -}}

{{- /* The configuration file: what the chart knows, and over it what the values say. As JSON, for `fromJson`. */ -}}
{{- define "gateway.config" -}}
{{- $own := dict
  "server" (dict "host" "0.0.0.0" "port" 4100)
  "master_key" "${GATEWAY_MASTER_KEY}"
  "store" (ternary dict (dict "sqlite" "/data/gateway.db") (eq (include "gateway.isPostgres" .) "true"))
  "logs" (dict "format" "json")
-}}
{{- if not (hasKey .Values.config "providers") -}}
{{- $vendors := .Files.Get "files/vendors.yaml" | fromYaml -}}
{{- $providers := dict -}}
{{- $deployments := list -}}
{{- range $variable, $vendor := $vendors -}}
{{- if hasKey $.Values.providerKeys $variable -}}
{{- $_ := set $providers $vendor.provider (dict "api_key" (printf "${%s}" $variable)) -}}
{{- range $vendor.models -}}
{{- $deployments = append $deployments (printf "%s/%s" $vendor.provider .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $own = merge $own (dict "providers" $providers "deployments" $deployments) -}}
{{- end -}}
{{- mergeOverwrite $own (deepCopy .Values.config) | toJson -}}
{{- end -}}

{{- /* Seconds of a duration such as 300s, 5m, 1h or 250ms. */ -}}
{{- define "gateway.seconds" -}}
{{- $text := toString . -}}
{{- $number := regexFind "^[0-9.]+" $text | float64 -}}
{{- if hasSuffix "ms" $text -}}{{ divf $number 1000 | ceil | int }}
{{- else if hasSuffix "h" $text -}}{{ mulf $number 3600 | ceil | int }}
{{- else if hasSuffix "m" $text -}}{{ mulf $number 60 | ceil | int }}
{{- else -}}{{ $number | ceil | int }}
{{- end -}}
{{- end -}}
