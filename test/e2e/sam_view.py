"""Prints what SAM CLI finds in a template: functions by logical id, and routes with their function."""

import json
import os
import sys

from samcli.lib.providers.api_provider import ApiProvider
from samcli.lib.providers.sam_function_provider import SamFunctionProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider

stacks, remote = SamLocalStackProvider.get_stacks(sys.argv[1])
if remote:
    sys.exit(f"SAM cannot read {', '.join(remote)}")


def describe(function):
    module = function.handler.rpartition(".")[0]
    code = os.path.join(function.codeuri, f"{module}.mjs")
    return {"handler": function.handler, "runtime": function.runtime, "hasCode": os.path.isfile(code)}


def describe_route(route, method):
    return {"route": f"{method} {route.path}", "function": route.function_name, "payload": route.payload_format_version}


json.dump(
    {
        "functions": {function.name: describe(function) for function in SamFunctionProvider(stacks).get_all() if not function.inlinecode},
        "routes": [
            describe_route(route, method)
            for api in ApiProvider(stacks).get_all()
            for route in api.routes
            for method in route.methods
            if method != "OPTIONS"  # SAM adds these for CORS.
        ],
    },
    sys.stdout,
)
