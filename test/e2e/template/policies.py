"""Lints the policies of roles: unknown actions and conditions, and resources that an action does not support."""

import json
import re
import warnings

from quotas import list_role_policies
from templates import UNKNOWN, resources_of

with warnings.catch_warnings():
    # Of pkg_resources, which parliament needs.
    warnings.simplefilter("ignore")
    from parliament import analyze_policy_string

PREFIX = "arn:aws:{}:eu-west-1:123456789012:"
# ARNs by type, and by attribute if a type has several. https://docs.aws.amazon.com/service-authorization/latest/reference/
ARNS = {
    "AWS::DynamoDB::GlobalTable": PREFIX.format("dynamodb") + "table/name",
    "AWS::DynamoDB::GlobalTable.StreamArn": PREFIX.format("dynamodb") + "table/name/stream/time",
    "AWS::Events::EventBus": PREFIX.format("events") + "event-bus/name",
    "AWS::IAM::Role": "arn:aws:iam::123456789012:role/name",
    "AWS::KMS::Key": PREFIX.format("kms") + "key/12345678-1234-1234-1234-123456789012",
    "AWS::Lambda::Function": PREFIX.format("lambda") + "function:name",
    "AWS::Logs::LogGroup": PREFIX.format("logs") + "log-group:name:*",
    "AWS::S3::Bucket": "arn:aws:s3:::name",
    "AWS::SecretsManager::Secret": PREFIX.format("secretsmanager") + "secret:name-AbCdEf",
    "AWS::SQS::Queue": PREFIX.format("sqs") + "name",
}
# Kinds of findings that are fine, with a part of their detail.
ACCEPTED = [
    # CDK grants wildcards such as s3:GetBucket* with ARNs of the bucket and of its objects.
    ("RESOURCE_MISMATCH", "'s3:"),
    # CDK's grant of a stream includes ListStreams, which has no effect with a resource and which Lambda does not need.
    ("RESOURCE_MISMATCH", "[{'action': 'dynamodb:ListStreams', 'required_format': '*'}]"),
]


def check_policies(template):
    for role, documents in list_role_policies(template).items():
        for document in documents:
            text = fill_references(json.dumps(document, ensure_ascii=False), template)
            for finding in analyze_policy_string(text).findings:
                detail = str(finding.detail)
                if (finding.issue, True) not in [(issue, part in detail) for issue, part in ACCEPTED]:
                    yield f"{role}: {finding.issue}: {detail}"


def fill_references(text, template):
    """Replaces placeholders by ARNs and names."""
    # The linter cannot read the colons of the time of an imported stream.
    parts = re.sub(r'/stream/[^"]+', "/stream/time", text).split(UNKNOWN)
    for at in range(1, len(parts), 2):
        logical_id, _, attribute = parts[at].partition(".")
        kind = template["Resources"].get(logical_id, {}).get("Type")
        # A reference to a secret is its ARN.
        is_arn = attribute == "Arn" or kind == "AWS::SecretsManager::Secret"
        parts[at] = ARNS.get(f"{kind}.{attribute}") or (ARNS.get(kind) if is_arn else None) or "name"
    return "".join(parts)
