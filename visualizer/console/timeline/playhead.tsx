import { useEffect, useRef } from 'preact/hooks';
import type { Stretch } from '../parts/ticks.ts';
import type { Playback } from '../player/playback.ts';

interface PlayheadProps {
  readonly control: Playback;
  readonly view: Stretch;
  readonly width: number;
}

/** Where the player is. It moves with every frame, so it is moved by hand and not drawn anew. */
export function Playhead({ control, view, width }: PlayheadProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = () => {
      const { timeMs } = control.store.getSnapshot().context;
      const left = ((timeMs - view.startMs) / (view.endMs - view.startMs)) * width;
      if (line.current === null) return;
      line.current.hidden = left < 0 || left > width;
      line.current.style.transform = `translateX(${left}px)`;
    };
    place();
    const subscription = control.store.subscribe(place);
    return () => subscription.unsubscribe();
  }, [control, view, width]);
  return <div ref={line} class="playhead" aria-hidden="true" />;
}
