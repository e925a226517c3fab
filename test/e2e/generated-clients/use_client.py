"""mypy checks the types of the generated client, this program the behaviour."""

import sys
from http import HTTPStatus

from users_client import AuthenticatedClient
from users_client.api.users import create_user, get_user, list_users, update_user
from users_client.models import ErrorBody, PlanValue, SortOrder, User, UserInput, UserPatch
from users_client.types import UNSET

# The generated client requires a token, although credentials are optional in the document.
client = AuthenticatedClient(base_url=sys.argv[1], token="unused")
ada = UserInput(name="Ada Lovelace", email="ada.python@example.org", plan=PlanValue.PRO, nickname="python")

created = create_user.sync(client=client, body=ada, idempotency_key="python")
assert isinstance(created, User), created
assert created.plan is PlanValue.PRO
user_id = str(created.id)
assert get_user.sync(user_id, client=client) == created

listed = list_users.sync(client=client, order=SortOrder.DESC, limit=1000)
assert isinstance(listed, list) and created in listed, listed

changed = update_user.sync(user_id, client=client, body=UserPatch(nickname=None, plan=PlanValue.TEAM))
assert isinstance(changed, User), changed
assert changed.nickname is UNSET and changed.plan is PlanValue.TEAM

missing = get_user.sync_detailed("nobody", client=client)
assert missing.status_code == HTTPStatus.NOT_FOUND, missing
assert missing.parsed == ErrorBody(error="User not found"), missing

taken = create_user.sync_detailed(client=client, body=UserInput(name="Impostor", email=ada.email))
assert taken.status_code == HTTPStatus.CONFLICT, taken
assert taken.parsed == ErrorBody(error="Another user has this email"), taken
