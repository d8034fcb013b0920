import { useEffect, useRef, useState } from 'preact/hooks';
import type { StudyHost } from '../../../client/study-host.ts';
import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import { useHost } from '../host/use-host.ts';
import { Picture } from '../pictures/picture.tsx';

interface Poster {
  readonly runtimeId: string;
  readonly fact: KeyframeFact;
}

/** Of the newest studies of a source so many are asked for a picture. */
const askedStudies = 3;

/** The first keyframe of the newest study of a source that has any; null where no study has looked at its pictures. */
async function posterOf(host: StudyHost, sourceSessionId: string): Promise<Poster | null> {
  const { runtimes } = await host.runtimes({ sourceSessionId, limit: askedStudies });
  for (const { runtimeId } of runtimes) {
    const [fact] = await host.evidenceObjects.keyframes(runtimeId);
    if (fact !== undefined) return { runtimeId, fact };
  }
  return null;
}

/** A picture of a source once its row is in sight; a plain place where there is none. */
export function PosterFrame({ sourceSessionId }: { readonly sourceSessionId: string }) {
  const host = useHost();
  const place = useRef<HTMLSpanElement>(null);
  const [poster, setPoster] = useState<Poster | null>(null);
  useEffect(() => {
    if (place.current === null) return;
    const sight = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      sight.disconnect();
      posterOf(host, sourceSessionId).then(setPoster, () => undefined);
    });
    sight.observe(place.current);
    return () => sight.disconnect();
  }, [host, sourceSessionId]);
  return (
    <span ref={place} class="poster" aria-hidden="true">
      {poster !== null && <Picture runtimeId={poster.runtimeId} fact={poster.fact} alt="" />}
    </span>
  );
}
