import { Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useFocusAfter } from '../focus.ts';
import { LoadError } from './load-error.tsx';
import { NewPost } from './new-post.tsx';
import { PostRow } from './post-row.tsx';
import { usePosts } from './use-posts.ts';

export function Posts({ authorId }: { authorId: string }) {
  const { posts, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = usePosts(authorId);
  useFocusAfter(isFetchingNextPage, hasNextPage ? '.posts-more' : '.posts-title');
  return (
    <section aria-label="Posts">
      <Stack gap="sm">
        <Title order={2} size="h5" tabIndex={-1} className="posts-title">
          Posts
        </Title>
        {error && <LoadError title="The posts cannot be read" error={error} onRetry={refetch} />}
        {posts === undefined && !error && <Skeleton height={40} role="status" aria-label="Loading the posts" />}
        {posts?.length === 0 && (
          <Text c="dimmed" size="sm">
            No posts yet.
          </Text>
        )}
        {posts !== undefined && posts.length > 0 && (
          <ul className="posts">
            {posts.map((post) => (
              <PostRow key={post.id} post={post} authorId={authorId} />
            ))}
          </ul>
        )}
        {hasNextPage && (
          <Button
            variant="subtle"
            size="compact-sm"
            className="posts-more"
            loading={isFetchingNextPage}
            onClick={() => fetchNextPage()}
          >
            Show more
          </Button>
        )}
        <NewPost authorId={authorId} />
      </Stack>
    </section>
  );
}
