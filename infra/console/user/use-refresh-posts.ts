import { useQueryClient } from '@tanstack/react-query';

export function useRefreshPosts(authorId: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['user', authorId] });
}
