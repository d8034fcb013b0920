import { useCallback, useState } from 'preact/hooks';

export type Deed = { readonly state: 'idle' | 'busy' } | { readonly state: 'failed'; readonly error: unknown };

interface Doing {
  readonly deed: Deed;
  /** Does it; what it throws is kept for the view to show. */
  readonly run: (work: () => Promise<void>) => void;
}

/**
 * Brings the focus back once a deed is over: its button was disabled meanwhile, or is gone with its form, and the keyboard would
 * begin at the top of the page.
 */
function refocus(before: Element | null): void {
  requestAnimationFrame(() => {
    for (const to of [before, document.getElementById('view')]) {
      if (document.activeElement !== document.body) return;
      if (to instanceof HTMLElement) to.focus({ preventScroll: true });
    }
  });
}

/** Something that a person asks for: idle, under way, or failed. */
export function useDeed(): Doing {
  const [deed, setDeed] = useState<Deed>({ state: 'idle' });
  const run = useCallback((work: () => Promise<void>) => {
    const before = document.activeElement;
    setDeed({ state: 'busy' });
    const settle = (deed: Deed) => {
      setDeed(deed);
      refocus(before);
    };
    work().then(
      () => settle({ state: 'idle' }),
      (error: unknown) => settle({ state: 'failed', error }),
    );
  }, []);
  return { deed, run };
}
