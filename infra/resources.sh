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
