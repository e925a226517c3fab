import { useEditorContext, useExecutionContext } from '@graphiql/react';
import { useEffect, useRef } from 'react';

/** Starts a subscription again when its tab is opened again: GraphiQL ends it when another tab is opened. */
export function ResumeSubscriptions() {
  const { activeTabIndex, tabs } = useEditorContext({ nonNull: true });
  const { isSubscribed, run } = useExecutionContext({ nonNull: true });
  const id = tabs[activeTabIndex]?.id;
  const followed = useRef(new Set<string>());
  const previous = useRef(id);

  useEffect(() => {
    if (id === previous.current || !id) return;
    previous.current = id;
    if (followed.current.has(id)) run();
  }, [id, run]);

  useEffect(() => {
    // A tab whose subscription the person stops is not followed any more.
    if (!id || id !== previous.current) return;
    if (isSubscribed) followed.current.add(id);
    else followed.current.delete(id);
  }, [id, isSubscribed]);

  return null;
}
