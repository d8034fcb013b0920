import { useCallback, useState } from 'preact/hooks';

export type Deed = { readonly state: 'idle' | 'busy' } | { readonly state: 'failed'; readonly error: unknown };

interface Doing {
  readonly deed: Deed;
  /** Does it; what it throws is kept for the view to show. */
  readonly run: (work: () => Promise<void>) => void;
}

/** Something that a person asks for: idle, under way, or failed. */
export function useDeed(): Doing {
  const [deed, setDeed] = useState<Deed>({ state: 'idle' });
  const run = useCallback((work: () => Promise<void>) => {
    setDeed({ state: 'busy' });
    work().then(
      () => setDeed({ state: 'idle' }),
      (error: unknown) => setDeed({ state: 'failed', error }),
    );
  }, []);
  return { deed, run };
}
