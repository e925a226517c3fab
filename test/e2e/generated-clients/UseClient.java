import java.util.List;
import java.util.concurrent.Callable;
import users.api.UsersApi;
import users.client.ApiClient;
import users.client.ApiException;
import users.model.*;

/** Accepts errors as problem details (RFC 9457): their codes are an enum in the generated client. */
public class UseClient {
  private static final ApiClient client = new ApiClient();

  public static void main(String[] arguments) throws Exception {
    client.updateBaseUri(arguments[0]);
    UsersApi users = new UsersApi(client);
    UserInput ada = new UserInput().name("Ada Lovelace").email("ada.java@example.org").plan(PlanValue.PRO);

    User created = users.createUser(ada, null, "java");
    String id = created.getId().toString();
    assert created.getPlan() == PlanValue.PRO : created;
    assert users.getUser(id, null, null, null, null).equals(created);

    List<User> listed = users.listUsers(
        null, 1000, null, SortOrder.DESC, null, null, null, null, null, null, null, null, null, null, null, null);
    assert listed.contains(created) : listed;

    User changed = users.updateUser(id, new UserPatch().plan(PlanValue.TEAM), null, null, null, null);
    assert changed.getPlan() == PlanValue.TEAM && changed.getName().equals(created.getName()) : changed;

    Problem missing = catchProblem(404, () -> users.getUser("nobody", null, null, null, null));
    assert missing.getCode() == Problem.CodeEnum.NOT_FOUND : missing;

    Problem taken = catchProblem(409, () -> users.createUser(ada.name("Impostor"), null, null));
    assert taken.getCode() == Problem.CodeEnum.EMAIL_TAKEN : taken;
    assert taken.getIssues().get(0).getPath().get(0).getString().equals("email") : taken;
  }

  private static Problem catchProblem(int status, Callable<User> call) throws Exception {
    try {
      throw new AssertionError("Expected " + status + ", got " + call.call());
    } catch (ApiException exception) {
      assert exception.getCode() == status : exception;
      return client.getObjectMapper().readValue(exception.getResponseBody(), Problem.class);
    }
  }
}
