//! What holds for every request and would stand in each description: the token, the key of a wish, and problems.

use utoipa::openapi::{
    Content, OpenApi, Ref, RefOr, Required, ResponseBuilder,
    path::{Operation, ParameterBuilder, ParameterIn},
    schema::{ObjectBuilder, Type},
    security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
};

use crate::problem::PROBLEM_TYPE;

/// The name of the way to be known.
const TOKEN: &str = "token";

/// Adds it.
pub fn complete(description: &mut OpenApi) {
    for item in description.paths.paths.values_mut() {
        [&mut item.get, &mut item.post].into_iter().flatten().for_each(with_problems);
        item.post.iter_mut().for_each(with_key);
    }
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("over a port: what the file `token` of the data directory has; a browser has a cookie in its place"))
        .build();
    let components = description.components.get_or_insert_default();
    components.add_security_scheme(TOKEN, SecurityScheme::Http(token));
    description.security = Some(vec![SecurityRequirement::new(TOKEN, [""; 0])]);
}

/// Whatever else is refused is a problem too: no token, another host, a body that is too large, a full disk.
fn with_problems(operation: &mut Operation) {
    let problem = ResponseBuilder::new()
        .description("any other problem")
        .content(PROBLEM_TYPE, Content::new(Some(Ref::from_schema_name("Problem"))))
        .build();
    operation.responses.responses.insert("default".to_owned(), RefOr::T(problem));
}

fn with_key(operation: &mut Operation) {
    let key = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("made up for each wish; sent again, it is answered again and not done again"))
        .schema(Some(
            ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(200)),
        ))
        .build();
    operation.parameters.get_or_insert_default().push(RefOr::T(key));
}
