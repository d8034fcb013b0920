import { useEffect, useState } from 'preact/hooks';

interface Readable<Context> {
  getSnapshot(): { readonly context: Context };
  subscribe(listener: () => void): { unsubscribe(): void };
}

/** A part of what a store holds; the component is drawn again when that part is another one. */
export function useStore<Context, Part>(store: Readable<Context>, part: (context: Context) => Part): Part {
  const [value, setValue] = useState(() => part(store.getSnapshot().context));
  useEffect(() => {
    const look = () => setValue(() => part(store.getSnapshot().context));
    const subscription = store.subscribe(look);
    look();
    return () => subscription.unsubscribe();
  }, [store]);
  return value;
}
