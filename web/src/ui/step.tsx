// Draws one thing that can be done next: a title, a text, and its button at the end.
import type { ReactNode } from 'react';
import './step.css';

interface StepProps {
  title: string;
  text: ReactNode;
  action: ReactNode;
  children?: ReactNode;
}

export const Step = ({ title, text, action, children }: StepProps) => (
  <div className="step box">
    <h3>{title}</h3>
    <p>{text}</p>
    {children}
    <div className="step-action">{action}</div>
  </div>
);
