"""Finds the resources that CloudFormation would replace or delete when a stack of an earlier template is updated."""

import hashlib
from collections import Counter, defaultdict
from pathlib import Path

from service_models import load_registry, load_schema
from templates import compact

FOLDER = Path(__file__).parent / "baselines"

# Losing one loses data, messages, or the address that clients use.
LASTING = {
    "AWS::ApiGatewayV2::Api",
    "AWS::Backup::BackupVault",
    "AWS::CloudFront::Distribution",
    "AWS::Cognito::UserPool",
    "AWS::Cognito::UserPoolClient",
    "AWS::Cognito::UserPoolDomain",
    "AWS::DynamoDB::GlobalTable",
    "AWS::Events::EventBus",
    "AWS::KMS::Key",
    "AWS::Lambda::Url",
    "AWS::Lambda::WebFunctionEndpoint",
    "AWS::Logs::LogGroup",
    "AWS::S3::Bucket",
    "AWS::SNS::Topic",
    "AWS::SQS::Queue",
    "AWS::SecretsManager::Secret",
}
# The registry lists these as updatable, but Cognito rejects a change.
# https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pool-updating.html
FIXED = {
    "AWS::Cognito::UserPool": [
        f"/properties/{name}" for name in ("AliasAttributes", "UsernameAttributes", "UsernameConfiguration")
    ]
}
# New code replaces them on each deploy.
REPLACED_BY_DESIGN = {"AWS::Lambda::LayerVersion", "AWS::Lambda::Version", "AWS::Lambda::WebFunctionRevision"}


def freeze(resource):
    """Returns the properties that CloudFormation cannot update, as text: each with a hash of its value."""
    kind = resource["Type"]
    if kind not in load_registry():
        return "-"
    schema = load_schema(kind)
    paths = [
        path
        for paths in (schema.get("createOnlyProperties"), schema.get("conditionalCreateOnlyProperties"), FIXED.get(kind))
        for path in paths or []
    ]
    properties = resource.get("Properties", {})
    names = sorted({path.split("/")[2] for path in paths} & set(properties))
    hashes = [hashlib.sha256(compact(properties[name]).encode()).hexdigest()[:8] for name in names]
    return ",".join(f"{name}={digest}" for name, digest in zip(names, hashes)) or "-"


def list_resources(template):
    return {
        logical_id: (resource["Type"], freeze(resource))
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] not in REPLACED_BY_DESIGN
    }


def write_baseline(name, templates):
    """Writes the variants, and a line per resource: id, type, frozen properties, variants."""
    lines = defaultdict(list)
    for variant, template in templates.items():
        for logical_id, (kind, frozen) in list_resources(template).items():
            lines[f"{logical_id} {kind} {frozen}"].append(variant)
    FOLDER.mkdir(exist_ok=True)
    text = "".join(
        f"{line} {'all' if len(variants) == len(templates) else ','.join(variants)}\n"
        for line, variants in sorted(lines.items())
    )
    (FOLDER / f"{name}.txt").write_text(f"{' '.join(templates)}\n{text}")


def read_baselines():
    """Returns resources by baseline and variant."""
    baselines = {}
    for path in sorted(FOLDER.glob("*.txt")):
        variants, *lines = path.read_text().splitlines()
        baseline = baselines[path.stem] = {variant: {} for variant in variants.split(" ")}
        for line in lines:
            logical_id, kind, frozen, used = line.split(" ")
            for variant in baseline if used == "all" else used.split(","):
                baseline[variant][logical_id] = (kind, frozen)
    return baselines


def check_upgrade(before, template):
    """Returns errors, and the number of other losses by type."""
    errors, others = [], Counter()
    after = list_resources(template)
    for logical_id, (kind, frozen) in before.items():
        new_kind, new_frozen = after.get(logical_id, (None, None))
        if new_kind == kind and new_frozen == frozen:
            continue
        loss = f"replaced ({frozen} became {new_frozen})" if new_kind == kind else "deleted"
        if kind in LASTING:
            errors.append(f"{logical_id} {kind} would be {loss}")
        else:
            others[f"{kind} {loss.split(' ')[0]}"] += 1
    return errors, others
