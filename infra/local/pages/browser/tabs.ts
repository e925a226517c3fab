const query = `# Run it with Ctrl+Enter. The next tabs create users and posts,
# and follow what changes.
query UsersWithPosts {
  users(first: 5) {
    totalCount
    edges {
      node {
        id
        name
        email
        posts(first: 3) {
          title
          publishedAt
        }
      }
    }
  }
}
`;

const mutation = `mutation CreateUser($input: CreateUserInput!) {
  createUser(input: $input) {
    user {
      id
      name
      email
      version
    }
  }
}

# Takes the id of a user as authorId.
mutation CreatePost($post: CreatePostInput!) {
  createPost(input: $post) {
    post {
      id
      title
      author {
        name
      }
    }
  }
}
`;

const variables = {
  input: { name: 'Ada Lovelace', email: 'ada@example.org' },
  post: { authorId: 'the id of a user', title: 'Notes on the Analytical Engine' },
};

const subscription = `# Stays open: create or change users in another tab and see it here.
subscription UserChanges($after: ID) {
  userChanged(after: $after) {
    cursor
    kind
    at
    id
    user {
      name
      email
      version
    }
  }
}
`;

/** What GraphiQL opens with for someone new. */
export const tabs = [
  { query },
  { query: mutation, variables: JSON.stringify(variables, null, 2) },
  { query: subscription },
];
