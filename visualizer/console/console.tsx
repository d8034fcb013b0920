import { render } from 'preact';
import { followAddress } from './host/session.ts';
import { Shell } from './shell.tsx';

followAddress();
const place = document.getElementById('console');
if (place !== null) render(<Shell />, place);
