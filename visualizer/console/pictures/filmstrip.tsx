import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import type { Stretch } from '../parts/ticks.ts';
import { slotsOf } from './film-slots.ts';
import { Picture } from './picture.tsx';

interface FilmstripProps {
  readonly runtimeId: string;
  readonly facts: readonly KeyframeFact[];
  readonly view: Stretch;
  /** Pixels of the view, and of a picture. */
  readonly width: number;
  readonly height: number;
}

/** Keyframes along a stretch of time, as many as have room. */
export const Filmstrip = ({ runtimeId, facts, view, width, height }: FilmstripProps) => (
  <div class="filmstrip" aria-hidden="true">
    {slotsOf(facts, view, width, height).map(({ fact, left }) => (
      <span key={fact.index} class="film-slot" style={{ left: `${left}px` }}>
        <Picture runtimeId={runtimeId} fact={fact} alt="" />
      </span>
    ))}
  </div>
);
