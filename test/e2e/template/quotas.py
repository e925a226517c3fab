"""Limits of AWS on what a template declares."""

import json
from collections import defaultdict

from jsonschema import Draft4Validator
from templates import UNKNOWN, compact, resources_of

MAX_ROLLBACK_ALARMS = 10  # https://docs.aws.amazon.com/codedeploy/latest/userguide/limits.html
MAX_ENVIRONMENT = 4096  # https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
MAX_ROLE_POLICIES = 10_240  # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
MAX_BUCKET_POLICY = 20_480  # https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html
MAX_KEY_POLICY = 32_768  # https://docs.aws.amazon.com/kms/latest/developerguide/resource-limits.html
MAX_RESOURCES = 500  # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
MAX_TEMPLATE = 1_000_000

# Draft 4 itself permits unknown keywords, such as those of later drafts. Its `$ref`s lead to this schema, too.
STRICT_DRAFT_4 = Draft4Validator(Draft4Validator.META_SCHEMA | {"id": "strict", "additionalProperties": False})
# Longest ARN of our resources: a function with a qualifier in a long region of a long partition.
LONGEST_VALUE = 170


def measure(value):
    """Bytes of compact JSON, with the longest value for each one that only a deploy knows."""
    parts = compact(value).split(UNKNOWN)
    return sum(len(part.encode()) for part in parts[::2]) + LONGEST_VALUE * (len(parts) // 2)


def check_quotas(template):
    size = len(json.dumps(template, indent=1).encode())
    yield from compare("the template", size, MAX_TEMPLATE, "bytes")
    yield from compare("the template", len(template["Resources"]), MAX_RESOURCES, "resources")
    for logical_id, group in resources_of(template, "AWS::CodeDeploy::DeploymentGroup"):
        alarms = group.get("AlarmConfiguration", {}).get("Alarms", [])
        yield from compare(logical_id, len(alarms), MAX_ROLLBACK_ALARMS, "rollback alarms")
    for logical_id, function in resources_of(template, "AWS::Lambda::Function"):
        variables = function.get("Environment", {}).get("Variables", {})
        yield from compare(logical_id, measure(variables), MAX_ENVIRONMENT, "bytes of environment variables")
    for logical_id, bucket in resources_of(template, "AWS::S3::BucketPolicy"):
        yield from compare(logical_id, measure(bucket["PolicyDocument"]), MAX_BUCKET_POLICY, "bytes of bucket policy")
    for logical_id, key in resources_of(template, "AWS::KMS::Key"):
        yield from compare(logical_id, measure(key["KeyPolicy"]), MAX_KEY_POLICY, "bytes of key policy")
    for role, documents in list_role_policies(template).items():
        yield from compare(role, sum(map(measure, documents)), MAX_ROLE_POLICIES, "bytes of role policies")
    for logical_id, schema in resources_of(template, "AWS::EventSchemas::Schema"):
        for error in STRICT_DRAFT_4.iter_errors(json.loads(schema["Content"])):
            yield f"{logical_id}: not JSON schema draft 4: {error.message[:200]}"


def compare(where, found, limit, unit):
    if found > limit:
        yield f"{where}: {found} {unit}, more than {limit}"


def list_role_policies(template):
    policies = defaultdict(list)
    for logical_id, role in resources_of(template, "AWS::IAM::Role"):
        policies[logical_id] += [policy["PolicyDocument"] for policy in role.get("Policies", [])]
    for _, policy in resources_of(template, "AWS::IAM::Policy"):
        for role in policy.get("Roles", []):
            policies[role.strip(UNKNOWN)].append(policy["PolicyDocument"])
    return policies
