import { useEditorContext, useStorage } from '@graphiql/react';
import { useEffect } from 'react';

/** GraphiQL stores a change after half a second. A redirect to the sign-in before then would lose the variables. */
export function StoreTabsOnLeaving() {
  const { activeTabIndex, tabs, queryEditor, variableEditor } = useEditorContext({ nonNull: true });
  const storage = useStorage();

  useEffect(() => {
    if (!queryEditor || !variableEditor) return;
    const store = () => {
      const shown = { query: queryEditor.getValue(), variables: variableEditor.getValue() };
      // Stores no headers, because they may contain a token.
      const stored = tabs.map((tab, index) => ({
        ...tab,
        ...(index === activeTabIndex && shown),
        headers: null,
        response: null,
      }));
      storage.set('query', shown.query);
      storage.set('variables', shown.variables);
      storage.set('tabState', JSON.stringify({ activeTabIndex, tabs: stored }));
    };
    addEventListener('pagehide', store);
    return () => removeEventListener('pagehide', store);
  }, [activeTabIndex, tabs, queryEditor, variableEditor, storage]);

  return null;
}
