import { playbackContract } from './playback-contract.ts';

playbackContract('uws');
