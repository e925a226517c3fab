#!/usr/bin/env bash
# The commands of README.md and runbook.md find the resources of the stack with this: AWS_REGION=… STACK=… . infra/resources.sh

# Prints the physical names of all resources of a type whose logical id starts with a prefix. In a stack of your own, SERVICE is the
# id of the construct, without what is no letter or digit.
resource() { aws cloudformation list-stack-resources --stack-name "$STACK" --output text --query \
  "StackResourceSummaries[?ResourceType=='AWS::$1' && starts_with(LogicalResourceId, '${SERVICE:-}$2')].PhysicalResourceId"; }
output() { aws cloudformation describe-stacks --stack-name "$STACK" --output text --query \
  "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue"; }
TABLE=$(output TableName)
case $TABLE in '' | None) TABLE=$(resource DynamoDB::GlobalTable table) ;; esac
ON_CHANGE=$(resource Lambda::Function changesonchange)
PUBLISH_EVENTS=$(resource Lambda::Function eventspublishevents)     # empty without events=on
INDEX_PAGES=$(resource Lambda::Function pagesindexpages)

# The alarms of the stack that are not OK: state, since when, and what the runbook says.
alarms() { aws cloudwatch describe-alarms --alarm-name-prefix "$STACK-" --output text --query \
  "MetricAlarms[?StateValue!='OK'].[StateValue,StateUpdatedTimestamp,AlarmName,AlarmDescription]"; }
# The state of the stack, and when it was created and updated last.
last_deploy() { aws cloudformation describe-stacks --stack-name "$STACK" --output text --query \
  "Stacks[0].[StackStatus,CreationTime,LastUpdatedTime]"; }
# The time so many minutes ago, in seconds since 1970.
ago() { echo $(($(date +%s) - $1 * 60)); }
# Runs a CloudWatch Logs Insights query on a log group: insights GROUP MINUTES QUERY
insights() {
  local id
  id=$(aws logs start-query --log-group-name "$1" --start-time "$(ago "$2")" --end-time "$(ago 0)" --query-string "$3" --query queryId --output text) || return
  while [ "$(aws logs get-query-results --query-id "$id" --query status --output text)" = Running ]; do sleep 1; done
  aws logs get-query-results --query-id "$id" --output json | jq -r '.results[] | map(select(.field != "@ptr") | "\(.field)=\(.value)") | join("  ")'
}
# Queries the log of the functions: query MINUTES QUERY
query() { insights "$(resource Logs::LogGroup logs)" "$@"; }
# Queries the access log of the REST API: access MINUTES QUERY
access() { insights "$(resource Logs::LogGroup apiaccess)" "$@"; }
# Internal errors, and invocations that crashed, timed out or did not start: errors MINUTES
errors() { query "$1" 'filter level in ["ERROR", "FATAL"] or record.status in ["error", "timeout", "failure"]
  | sort @timestamp desc | limit 50
  | display @timestamp, @logStream, message.event, message.job, record.status, message.requestId, message.error.name, message.error.message'; }
# The callers that used most of the table: top_callers MINUTES
top_callers() { query "$1" 'filter message.event = "request"
  | stats count() as requests, sum(message.readUnits) as reads, sum(message.writeUnits) as writes by message.caller | sort reads desc | limit 10'; }
# The queries for throttled reads and writes of table and index, for `aws cloudwatch get-metric-data`.
throttle_queries() { jq -n --arg table "$TABLE" '[("Read", "Write") as $kind | (null, "directory") as $index |
  { Id: "\($kind | ascii_downcase)\(if $index then "index" else "table" end)", MetricStat: { Period: 60, Stat: "Sum", Metric: { Namespace: "AWS/DynamoDB", MetricName: "\($kind)ThrottleEvents",
    Dimensions: ([{ Name: "TableName", Value: $table }] + if $index then [{ Name: "GlobalSecondaryIndexName", Value: $index }] else [] end) } } }]'; }
