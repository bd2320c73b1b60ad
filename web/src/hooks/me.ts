// Who is signed in here. A viewer sees everything and answers nothing: pages ask this before they offer a way to.
import { createContext, useContext } from 'react';
import type { MeView } from '../../../src/core/views.ts';

export const Me = createContext<MeView | undefined>(undefined);

export const useMe = (): MeView | undefined => useContext(Me);

export const useMayAnswer = (): boolean => useMe()?.scope === 'operator';
