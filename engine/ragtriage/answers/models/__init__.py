"""Language models that answer or judge: one border, one module a provider, one place where they are asked."""
