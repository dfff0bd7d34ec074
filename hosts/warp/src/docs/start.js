// The page's only script of ours: the policy that it is served under forbids inline ones.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  // The default validator is a foreign server.
  validatorUrl: null,
  requestSnippetsEnabled: false,
  tryItOutEnabled: true,
  persistAuthorization: false,
});
